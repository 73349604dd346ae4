interface Port {
  onmessage: (() => void) | null
  postMessage(message: unknown): void
  close(): void
  ref?(): void
  unref?(): void
}

/** The ways in which hosts let everything else run first. */
interface Host {
  setImmediate?(run: () => void): unknown
  setTimeout(run: () => void, ms: number): unknown
  MessageChannel?: new () => { readonly port1: Port; readonly port2: Port }
}

export interface Turns {
  /** Resolves when every promise that can settle by itself has done so. */
  next(): Promise<void>
  close(): void
}

/** Fake timers of test runners mark the functions that they replace. */
const isReal = (timer: object | undefined): boolean => timer !== undefined && !('clock' in timer)

/** Turns of the host's event loop. None is a timer, but where a host has nothing else. */
export function createTurns(): Turns {
  const host = globalThis as unknown as Host
  const { setImmediate, setTimeout, MessageChannel } = host
  if (isReal(setImmediate)) {
    return { next: () => new Promise((resolve) => setImmediate!(resolve)), close: () => undefined }
  }
  if (MessageChannel === undefined) {
    return { next: () => new Promise((resolve) => setTimeout(resolve, 0)), close: () => undefined }
  }
  let waiting: (() => void)[] = []
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    const now = waiting
    waiting = []
    port1.unref?.()
    for (const resolve of now) resolve()
  }
  port1.unref?.()
  return {
    next: () =>
      new Promise((resolve) => {
        port1.ref?.()
        if (waiting.push(resolve) === 1) port2.postMessage(0)
      }),
    close: () => port1.close(),
  }
}
