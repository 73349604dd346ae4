import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { ControlResult } from '../../sidecar/index.js'
import { focusNow, focusOpener, onFields } from './on-fields.js'
import { Panel } from './panel.js'

interface GrowingPanelProps {
  readonly name: string
  /** `counter` or `list`. */
  readonly noun: string
  readonly fields: Readonly<Record<string, string>>
  add(fields: Readonly<Record<string, string>>): Promise<ControlResult>
  readonly children: ComponentChildren
}

/** A panel to whose things one can be added. */
export function GrowingPanel({ name, noun, fields, add, children }: GrowingPanelProps): JSX.Element {
  const isAdding = useSignal(false)
  const open = (
    <button class="button" aria-expanded={isAdding.value} onClick={() => (isAdding.value = !isAdding.value)}>
      {`+ ${noun}`}
    </button>
  )
  return (
    <Panel name={name} aside={open}>
      {children}
      {isAdding.value && (
        <form
          class="part-form"
          aria-label={`Add a ${noun}`}
          onSubmit={onFields((given, form) => {
            void add(given).then(({ ok }) => {
              if (!ok) return
              focusOpener(form)
              isAdding.value = false
            })
          })}
        >
          <label>
            name <input class="field" name="name" size={8} required ref={focusNow} />
          </label>
          {Object.entries(fields).map(([field, value]) => (
            <label key={field}>
              {field} <input class="field count-field" name={field} inputMode="numeric" defaultValue={value} required />
            </label>
          ))}
          <button class="button">Add</button>
        </form>
      )}
    </Panel>
  )
}
