import { render, type JSX } from 'preact'
import { readKept } from '../common/browser.js'
import { AllocateDialog } from '../dialogs/allocate.js'
import { Help } from '../dialogs/help.js'
import { Confirm } from '../dialogs/modal.js'
import { Palette } from '../dialogs/palette.js'
import type { Snapshot } from '../store/api.js'
import { forgetChanges, onChange, set, state, themes } from '../store/page-state.js'
import { followKeys, holdKeys } from './keys.js'

/** Draws a page into an element, and redraws it after changes, once for all changes of one turn. */
export function drawInto(element: HTMLElement, Page: () => JSX.Element): void {
  let isDue = false
  const draw = (): void => {
    isDue = false
    render(<Page />, element)
    forgetChanges()
  }
  onChange(() => {
    if (!isDue) queueMicrotask(draw)
    isDue = true
  })
  draw()
}

/** Restores the user's choices, and sets the theme before the first paint. */
export function restoreChoices(): void {
  onChange(() => {
    document.documentElement.dataset['theme'] = state.theme
  })
  const kept = readKept('local', 'theme')
  set({
    theme: themes.find((theme) => theme === kept) ?? 'auto',
    singleKeys: readKept('local', 'single-keys') !== 'false',
  })
}

/** Does everything but setting the theme after the first paint. */
export async function drawPage(App: () => JSX.Element, start: () => void): Promise<void> {
  const releaseKeys = holdKeys()
  // The frame of `index.html` is painted first. A hidden page paints nothing.
  if (!document.hidden) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  start()
  await caughtUp()
  drawInto(document.body, App)
  followKeys()
  releaseKeys()
}

/**
 * Waits until the state and all entries up to it have come, or the connection is lost. Before that, "No call yet" may
 * be wrong. If the server no longer keeps the last entry, half a second is enough.
 */
function caughtUp(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const look = (): void => {
      const { connection, entries } = state
      const { snapshot } = state as { snapshot?: Snapshot }
      if (connection === 'lost') resolve()
      if (snapshot === undefined) return
      if (first === undefined) setTimeout(resolve, 500)
      first ??= snapshot.lastSeq
      if ((entries.at(-1)?.seq ?? 0) >= first) resolve()
    }
    onChange(look)
    look()
  })
}

/** Tabs that choose the part of the page that a phone shows. */
export const Panes = ({ panes }: { panes: Readonly<Record<string, string>> }): JSX.Element => (
  <nav class="panes" aria-label="Parts of the page">
    {Object.entries(panes).map(([pane, name]) => (
      <button
        key={pane}
        class="panes-tab"
        aria-current={state.pane === pane ? 'true' : undefined}
        onClick={() => set({ pane })}
      >
        {name}
      </button>
    ))}
  </nav>
)

const dialogs = { allocate: AllocateDialog, palette: Palette, help: Help }

/** The open dialog and the open question. */
export function Dialogs(): JSX.Element {
  const { dialog, confirmation } = state
  const Dialog = dialog && dialogs[dialog]
  return (
    <>
      {Dialog && <Dialog onClose={() => set({ dialog: undefined })} />}
      {confirmation && <Confirm confirmation={confirmation} />}
    </>
  )
}
