import { render, type ComponentChildren, type JSX } from 'preact'
import { readKept } from '../common/browser.js'
import { AllocateDialog } from '../dialogs/allocate.js'
import { Help } from '../dialogs/help.js'
import { Confirm } from '../dialogs/modal.js'
import { Palette } from '../dialogs/palette.js'
import { Toast } from '../header/notices.js'
import type { Snapshot } from '../store/api.js'
import { onChange, set, state, themes } from '../store/page-state.js'
import { changed } from '../store/parts.js'
import { followKeys, holdKeys } from './keys.js'

/** Draws a page into an element, and redraws it after changes, once for all changes of one turn. */
export function drawInto(element: HTMLElement, App: () => JSX.Element): void {
  let isDue = false
  const draw = (): void => {
    isDue = false
    render(<App />, element)
    changed.clear()
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

interface PageProps {
  /** The parts of the page, of which a phone shows one at a time. */
  readonly panes: Readonly<Record<string, string>>
  readonly header: ComponentChildren
  readonly children: ComponentChildren
  /** Below the parts, so that a new notice moves no button. */
  readonly footer: ComponentChildren
}

/** Either dashboard, with the open dialog and the open question. */
export function Page({ panes, header, children, footer }: PageProps): JSX.Element {
  const { dialog, confirmation } = state
  const Dialog = dialog && dialogs[dialog]
  return (
    <>
      <div class="page" data-shown={state.pane}>
        {header}
        <nav class="panes" aria-label="Parts of the page">
          {Object.entries(panes).map(([pane, name]) => (
            <button
              key={pane}
              class="tab panes-tab"
              aria-current={state.pane === pane ? 'true' : undefined}
              onClick={() => set({ pane })}
            >
              {name}
            </button>
          ))}
        </nav>
        <main class="page-main">{children}</main>
        {footer}
      </div>
      {Dialog && <Dialog onClose={() => set({ dialog: undefined })} />}
      {confirmation && <Confirm confirmation={confirmation} />}
      <Toast />
    </>
  )
}

const dialogs = { allocate: AllocateDialog, palette: Palette, help: Help }
