import { html } from 'lit';

/**
 * A table. On a narrow page, each row becomes a few lines. Browsers then forget that it is one, so it has explicit roles.
 *
 * @param {string} name
 * @param {{title: string, kind?: string, labeled?: boolean}[]} columns kind is a class of the cells; a narrow page shows the
 *     title of labeled columns before their cells
 * @param {any[][]} rows
 */
export const table = (name, columns, rows) => html`
    <table role="table" aria-label=${name}>
        <thead role="rowgroup">
            <tr role="row">${columns.map(column =>
                html`<th role="columnheader" class=${column.kind ?? ''}>${column.title}</th>`)}</tr>
        </thead>
        <tbody role="rowgroup">${rows.map(row => html`
            <tr role="row">${row.map((cell, i) =>
                html`<td role="cell" class=${columns[i].kind ?? ''} data-label=${columns[i].labeled ? columns[i].title : ''}>${cell}</td>`)}</tr>`)}
        </tbody>
    </table>`;
