import { css } from 'lit';

/** The style of all pages, in the colors of the Dev UI's theme. */
export const styles = css`
    :host {
        display: block;
        padding: 0 20px 20px;
        color: var(--lumo-body-text-color);
    }
    h3 {
        margin: 1.2em 0 0.4em;
        font-size: var(--lumo-font-size-l);
    }
    table {
        border-collapse: collapse;
        width: 100%;
        font-size: var(--lumo-font-size-s);
    }
    th, td {
        text-align: left;
        vertical-align: top;
        padding: 5px 14px 5px 0;
        border-bottom: 1px solid var(--lumo-contrast-10pct);
        overflow-wrap: break-word;
    }
    th {
        font-weight: 600;
        white-space: nowrap;
    }
    .number, .time {
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
    }
    .number {
        text-align: right;
    }
    code {
        font-size: 92%;
        overflow-wrap: anywhere;
    }
    .hint {
        font-size: var(--lumo-font-size-s);
    }
    .good {
        color: var(--lumo-success-text-color);
    }
    .bad {
        color: var(--lumo-error-text-color);
    }
    .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 12px;
        padding: 10px 0;
        --vaadin-button-text-color: var(--lumo-body-text-color);
        --vaadin-input-field-label-color: var(--lumo-body-text-color);
    }
    /* each row as a few lines, with the headers as labels */
    @media (max-width: 640px) {
        :host {
            padding: 0 8px 20px;
        }
        thead {
            clip-path: inset(50%);
            position: absolute;
        }
        table, tbody {
            display: block;
        }
        tr {
            display: flex;
            flex-wrap: wrap;
            gap: 2px 12px;
            padding: 6px 0;
            border-bottom: 1px solid var(--lumo-contrast-10pct);
        }
        td {
            border: 0;
            min-width: 0;
            padding: 0;
        }
        td:empty {
            display: none;
        }
        td:not([data-label=''])::before {
            content: attr(data-label) ': ';
        }
    }
`;
