import { useComputed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { GameServer as GameServerObject } from '../../protocol/game-server.js'
import type { GameServerManifest } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'
import { CopyButton } from './copy-button.js'
import { JsonTree } from './json-tree.js'
import { manifestOf } from './manifest.js'
import { focusNow } from './on-fields.js'
import { Panel } from './panel.js'
import { writeYaml } from './write-yaml.js'

export function GameServer({ store }: { store: Store }): JSX.Element | null {
  // Each state is another object; only another text is worth drawing again.
  const json = useComputed(() => JSON.stringify(store.snapshot.value?.gameServer))
  const view = useSignal<'tree' | 'yaml' | 'edit'>('tree')
  if (!json.value) return null
  const object = JSON.parse(json.value) as GameServerObject
  const yaml = (): string => writeYaml(manifestOf(object, store.snapshot.peek()?.platform ?? 'agones'))
  const toggle = (other: 'yaml' | 'edit'): void => void (view.value = view.value === other ? 'tree' : other)
  const tools = (
    <span class="part-tools">
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
      <div class="part-row">
        <button class="button button-primary">Apply</button>
        <button type="button" class="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}
