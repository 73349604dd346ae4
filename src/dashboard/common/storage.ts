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
