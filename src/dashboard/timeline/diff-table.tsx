import type { JSX } from 'preact'
import type { Difference } from './diff.js'

export const DiffTable = ({ differences }: { differences: readonly Difference[] }): JSX.Element => (
  <table class="timeline-diff mono">
    <thead class="hidden">
      <tr>
        <th>Field</th>
        <th>Before</th>
        <th>After</th>
      </tr>
    </thead>
    <tbody>
      {differences.map(({ path, before, after }, i) => (
        <tr key={i}>
          <th scope="row">{path}</th>
          <td>{before === undefined ? '' : <del>{before}</del>}</td>
          <td>{after === undefined ? '' : <ins>{after}</ins>}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
