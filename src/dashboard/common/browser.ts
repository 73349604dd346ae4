/** Reads a stored choice. Storage may be forbidden. */
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

/** Copies text. An `http:` address beyond this machine is no secure context, where only the old command works. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // While a dialog is open, elements outside it are inert.
  const parent = document.querySelector('dialog[open]') ?? document.body
  const focused = document.activeElement
  parent.append(area)
  area.select()
  const copied = (document as { execCommand(command: string): boolean }).execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('The browser refused to copy')
}

/** The step of an arrow key: -1, 1, or 0 for any other key. Prevents the browser's own action for an arrow key. */
export function arrowStep(event: KeyboardEvent, [back, forward] = ['ArrowUp', 'ArrowDown']): number {
  const by = event.key === forward ? 1 : event.key === back ? -1 : 0
  if (by !== 0) event.preventDefault()
  return by
}
