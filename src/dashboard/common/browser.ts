/** Reads a choice that was kept. Storage may be forbidden, as in the frame of another page. */
export function readKept(storage: 'local' | 'session', key: string): string | undefined {
  try {
    return (storage === 'local' ? localStorage : sessionStorage).getItem(`sidecar-${key}`) ?? undefined
  } catch {
    return undefined
  }
}

export function keep(storage: 'local' | 'session', key: string, value: string): void {
  try {
    ;(storage === 'local' ? localStorage : sessionStorage).setItem(`sidecar-${key}`, value)
  } catch {
    // The choice lasts as long as the page.
  }
}

/** Copies text. Without a secure context, which an address beyond this machine is, the browser has only the old way. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Within an open dialog everything else is inert.
  const parent = document.querySelector('dialog[open]') ?? document.body
  const focused = document.activeElement
  parent.append(area)
  area.select()
  const copied = (document as { execCommand(command: string): boolean }).execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('The browser refused to copy')
}

/** Gives the focus to what has just come. Stays the same function, so that it does so once. */
export const focusNow = (element: HTMLElement | null): void => element?.focus()

/** By how many places an arrow key moves, upright or level; 0 for every other key. The browser does nothing more with it. */
export function arrowStep(event: KeyboardEvent, [back, forward] = ['ArrowUp', 'ArrowDown']): number {
  const by = event.key === forward ? 1 : event.key === back ? -1 : 0
  if (by !== 0) event.preventDefault()
  return by
}
