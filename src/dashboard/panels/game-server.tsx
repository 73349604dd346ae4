import { useComputed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { GameServer as GameServerObject } from '../../protocol/game-server.js'
import type { GameServerManifest } from '../../sidecar/index.js'
import { manifestOf, writeYaml } from '../common/yaml.js'
import type { Store } from '../store/store.js'
import { focusNow } from './fields.js'
import { CopyButton, Panel } from './panel.js'

export function GameServer({ store }: { store: Store }): JSX.Element | null {
  // Each state is another object; only another text is worth drawing again.
  const json = useComputed(() => JSON.stringify(store.snapshot.value?.gameServer))
  const view = useSignal<'tree' | 'yaml' | 'edit'>('tree')
  if (!json.value) return null
  const object = JSON.parse(json.value) as GameServerObject
  const yaml = (): string => writeYaml(manifestOf(object, store.snapshot.peek()?.platform ?? 'agones'))
  const toggle = (other: 'yaml' | 'edit'): void => void (view.value = view.value === other ? 'tree' : other)
  const tools = (
    <span class="row wrap part-tools">
      <button class="button" aria-pressed={view.value === 'yaml'} onClick={() => toggle('yaml')}>
        yaml
      </button>
      <CopyButton
        store={store}
        label="copy"
        name="Copy the GameServer"
        text={() => (view.peek() === 'tree' ? JSON.stringify(object, null, 2) : yaml())}
        told="The GameServer is copied"
      />
      {!store.isRecorded && (
        <button class="button" aria-pressed={view.value === 'edit'} onClick={() => toggle('edit')}>
          edit
        </button>
      )}
    </span>
  )
  return (
    <Panel name="GameServer" pane="json" aside={tools}>
      {view.value === 'edit' ? (
        <Editor store={store} text={yaml()} onDone={() => (view.value = 'tree')} />
      ) : view.value === 'yaml' ? (
        <pre class="mono tree-yaml" tabIndex={0}>
          {yaml()}
        </pre>
      ) : (
        <div class="mono tree">
          {Object.entries<unknown>({ ...object }).map(([key, value]) => (
            <JsonTree key={key} name={key} value={value} />
          ))}
        </div>
      )}
    </Panel>
  )
}

function Editor({ store, text, onDone }: { store: Store; text: string; onDone: () => void }): JSX.Element {
  const problem = useSignal('')
  const send = async (written: string): Promise<void> => {
    // The sidecar has a reader of YAML.
    const result = await store.control({ type: 'reload', gameServer: written as GameServerManifest })
    if (result.ok) onDone()
    else problem.value = result.message
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send(new FormData(event.currentTarget).get('manifest') as string)
      }}
    >
      <textarea
        class="field mono tree-editor"
        name="manifest"
        aria-label="GameServer"
        aria-describedby="tree-problem"
        rows={18}
        spellcheck={false}
        defaultValue={text}
        ref={focusNow}
      />
      <p id="tree-problem" class="part-problem" role="alert">
        {problem}
      </p>
      <div class="row wrap">
        <button class="button button-primary">Apply</button>
        <button type="button" class="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Beyond these, a value is named and counted: it may be made of megabytes. */
const MOST_ITEMS = 200
const MOST_CHARACTERS = 300

/** A value of JSON to look into; two levels of it are open. All of it is text. */
function JsonTree({ name, value, depth = 0 }: { name: string; value: unknown; depth?: number }): JSX.Element {
  const key = <span class="tree-key">{name}</span>
  const items = value instanceof Object ? Object.entries<unknown>({ ...value }) : []
  if (items.length === 0) {
    const text = JSON.stringify(value) ?? ''
    const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)` : text
    return (
      <div class="tree-leaf">
        {key} <span class={typeof value === 'string' ? 'tree-text' : 'tree-number'}>{cut}</span>
      </div>
    )
  }
  return (
    <details open={depth < 2}>
      <summary>
        {key} <span class="muted">{Array.isArray(value) ? `[${items.length}]` : `{${items.length}}`}</span>
      </summary>
      {items.slice(0, MOST_ITEMS).map(([key, item]) => (
        <JsonTree key={key} name={key} value={item} depth={depth + 1} />
      ))}
      {items.length > MOST_ITEMS && <div class="tree-leaf muted">{`and ${items.length - MOST_ITEMS} more`}</div>}
    </details>
  )
}
