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

/**
 * Waits for turns of the host's event loop: `next()` resolves when every promise that can settle by itself has done so.
 * Uses MessageChannel, since fake timers replace the other schedulers. Hosts without it have timers.
 */
export function createTurns(): { next(): Promise<void>; close(): void } {
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
    // An open channel would keep Node's process running.
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
