import type { JSX } from 'preact'
import type { GameServerManifest, SidecarSnapshot } from '../../platform/sidecar.js'
import { focusNow } from '../common/browser.js'
import { manifestOf, writeYaml } from '../common/yaml.js'
import { control } from '../store/api.js'
import { memo, part, set, state } from '../store/state.js'
import { CopyButton, Panel } from './panel.js'

/** Each state brings a new object. The tree is redrawn only if its JSON differs. */
const textOf = memo((snapshot: SidecarSnapshot) => JSON.stringify(snapshot.gameServer))
const treeOf = memo((json: string) => <div class="mono tree">{treesOf(JSON.parse(json) as object, 0)}</div>)

export const GameServer = part(['snapshot'], () => {
  const { snapshot, objectView: view } = state
  if (!snapshot) return null
  const yaml = (): string => writeYaml(manifestOf(snapshot.gameServer, snapshot.platform))
  const toggle = (other: 'yaml' | 'edit'): JSX.Element => (
    <button aria-pressed={view === other} onClick={() => show(view === other ? 'tree' : other)}>
      {other}
    </button>
  )
  const tools = (
    <>
      {toggle('yaml')}
      <CopyButton
        label="copy"
        name="Copy the GameServer"
        text={() => (view === 'tree' ? JSON.stringify(snapshot.gameServer, null, 2) : yaml())}
        told="The GameServer is copied"
      />
      {toggle('edit')}
    </>
  )
  return (
    <Panel name="GameServer" pane="json" aside={tools}>
      {view === 'edit' && <Editor text={yaml()} />}
      {view === 'yaml' && <pre tabIndex={0}>{yaml()}</pre>}
      {view === 'tree' && treeOf(textOf(snapshot))}
    </Panel>
  )
})

const show = (objectView: typeof state.objectView): void => set({ objectView, objectProblem: '' })

function Editor({ text }: { text: string }): JSX.Element {
  const apply = async (written: string): Promise<void> => {
    // The sidecar parses the YAML.
    const result = await control({ type: 'reload', gameServer: written as GameServerManifest })
    if (result.ok) show('tree')
    else set({ objectProblem: result.message })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void apply(event.currentTarget.querySelector('textarea')!.value)
      }}
    >
      <textarea
        class="mono"
        name="manifest"
        aria-label="GameServer"
        aria-describedby="tree-problem"
        rows={18}
        spellcheck={false}
        defaultValue={text}
        ref={focusNow}
      />
      <p id="tree-problem" class="red" role="alert">
        {state.objectProblem}
      </p>
      <div class="row wrap">
        <button class="primary">Apply</button>
        <button type="button" onClick={() => show('tree')}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Limits for what the tree shows of a value, which may have megabytes. */
const MOST_ITEMS = 200
const MOST_CHARACTERS = 300

/** The items of a JSON value as trees, with two open levels. */
function treesOf(value: object, depth: number): JSX.Element[] {
  const items = Object.entries<unknown>({ ...value })
  const more = items.length - MOST_ITEMS
  return [
    ...items.slice(0, MOST_ITEMS).map(([name, item]) => <JsonTree key={name} name={name} value={item} depth={depth} />),
    ...(more > 0 ? [<div class="muted">{`and ${more} more`}</div>] : []),
  ]
}

function JsonTree({ name, value, depth }: { name: string; value: unknown; depth: number }): JSX.Element {
  const key = <span class="muted">{name}</span>
  const size = value instanceof Object ? Object.keys(value).length : 0
  if (size === 0) {
    const text = JSON.stringify(value) ?? ''
    const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
    return (
      <div>
        {key} <span class={typeof value === 'string' ? 'green' : 'tone'}>{cut}</span>
      </div>
    )
  }
  return (
    <details open={depth < 2}>
      <summary>
        {key} <span class="muted">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {treesOf(value as object, depth + 1)}
    </details>
  )
}
