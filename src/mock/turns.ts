interface Port {
  onmessage: (() => void) | null
  postMessage(message: unknown): void
  close(): void
  ref?(): void
  unref?(): void
}

interface Host {
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port }
}

/** Turns of the host's event loop. */
export interface Turns {
  /** Resolves when every promise that can settle by itself has done so. */
  next(): Promise<void>
  close(): void
}

/**
 * Takes turns by messages, since the fake timers of test runners leave those alone: all else that could be called later may
 * be called never. Hosts without messages have timers.
 */
export function createTurns(): Turns {
  const { MessageChannel } = globalThis as Host
  if (MessageChannel === undefined) {
    const { setTimeout } = globalThis
    return { next: () => new Promise((resolve) => void setTimeout(resolve, 0)), close: () => undefined }
  }
  let channel: InstanceType<typeof MessageChannel> | undefined
  let closed = false
  let waiting: (() => void)[] = []

  function resume(): void {
    const all = waiting
    waiting = []
    // Node's process may end while nobody waits for a turn.
    channel?.port1.unref?.()
    for (const resolve of all) resolve()
  }

  function open(): NonNullable<typeof channel> {
    const opened = new MessageChannel!()
    opened.port1.onmessage = resume
    return opened
  }

  return {
    next: () =>
      new Promise((resolve) => {
        if (closed) return resolve()
        channel ??= open()
        channel.port1.ref?.()
        if (waiting.push(resolve) === 1) channel.port2.postMessage(0)
      }),
    close() {
      closed = true
      resume()
      channel?.port1.close()
    },
  }
}
