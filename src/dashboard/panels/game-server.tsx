import type { JSX } from 'preact'
import type { GameServerManifest, SidecarSnapshot } from '../../platform/sidecar.js'
import { focusNow } from '../common/browser.js'
import { manifestOf, writeYaml } from '../common/yaml.js'
import { control } from '../store/api.js'
import { memo } from '../store/page-state.js'
import { set, state } from '../store/state.js'
import { CopyButton, Panel } from './panel.js'

/** Each state brings a new object. The tree is redrawn only if its JSON differs. */
const textOf = memo((snapshot: SidecarSnapshot) => JSON.stringify(snapshot.gameServer))
const treeOf = memo((json: string) => (
  <div class="mono tree">
    {Object.entries(JSON.parse(json) as Record<string, unknown>).map(([key, value]) => (
      <JsonTree key={key} name={key} value={value} />
    ))}
  </div>
))

export function GameServer(): JSX.Element | null {
  const { snapshot, objectView: view } = state
  if (!snapshot) return null
  const yaml = (): string => writeYaml(manifestOf(snapshot.gameServer, snapshot.platform))
  const toggle = (other: 'yaml' | 'edit', name: string = other): JSX.Element => (
    <button class="button" aria-pressed={view === other} onClick={() => show(view === other ? 'tree' : other)}>
      {name}
    </button>
  )
  const tools = (
    <span class="row wrap">
      {toggle('yaml')}
      <CopyButton
        label="copy"
        name="Copy the GameServer"
        text={() => (view === 'tree' ? JSON.stringify(snapshot.gameServer, null, 2) : yaml())}
        told="The GameServer is copied"
      />
      {toggle('edit')}
    </span>
  )
  return (
    <Panel name="GameServer" pane="json" aside={tools}>
      {view === 'edit' ? (
        <Editor text={yaml()} />
      ) : view === 'yaml' ? (
        <pre class="mono" tabIndex={0}>
          {yaml()}
        </pre>
      ) : (
        treeOf(textOf(snapshot))
      )}
    </Panel>
  )
}

const show = (objectView: typeof state.objectView): void => set({ objectView, objectProblem: '' })

function Editor({ text }: { text: string }): JSX.Element {
  const send = async (written: string): Promise<void> => {
    // The sidecar parses the YAML.
    const result = await control({ type: 'reload', gameServer: written as GameServerManifest })
    if (result.ok) show('tree')
    else set({ objectProblem: result.message })
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
        {state.objectProblem}
      </p>
      <div class="row wrap">
        <button class="button button-primary">Apply</button>
        <button type="button" class="button" onClick={() => show('tree')}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Limits for what the tree shows of a value, which may have megabytes. */
const MOST_ITEMS = 200
const MOST_CHARACTERS = 300

/** A JSON value as a tree, with two open levels. */
function JsonTree({ name, value, depth = 0 }: { name: string; value: unknown; depth?: number }): JSX.Element {
  const key = <span class="tree-key">{name}</span>
  const items = value instanceof Object ? Object.entries<unknown>({ ...value }) : []
  if (items.length === 0) {
    const text = JSON.stringify(value) ?? ''
    const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
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
