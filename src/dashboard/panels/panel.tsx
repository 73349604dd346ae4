import type { ComponentChildren, JSX } from 'preact'
import type { Pane } from '../ui/ui.js'

interface PanelProps {
  readonly name: string
  /** Where a phone shows it. */
  readonly pane?: Pane
  /** Stands at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A region of the page, by its name. */
export function Panel({ name, pane = 'state', aside, children }: PanelProps): JSX.Element {
  return (
    <section class="panel part" aria-label={name} data-pane={pane} id={`panel-${name.toLowerCase()}`} tabIndex={-1}>
      <div class="part-head">
        <h2 class="panel-title">{name}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
