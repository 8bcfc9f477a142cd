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
        overflow-wrap: anywhere;
    }
    th {
        color: var(--lumo-secondary-text-color);
        font-weight: 500;
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
    }
    .hint {
        color: var(--lumo-secondary-text-color);
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
    }
`;
