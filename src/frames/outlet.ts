/** The most bytes of one write, so that `bufferedAmount` shows the progress of a large frame. */
const SLICE = 1 << 18

/**
 * Writes to the host, and counts the bytes that it still buffers.
 * @param write its result tells whether the host has sent the bytes, see `ByteStream.write`
 * @param failed takes the error or rejection of `write`
 * @param progressed is called when the host has sent buffered bytes
 */
export function createOutlet(
  write: (bytes: Uint8Array) => unknown,
  failed: (error: unknown) => void,
  progressed?: () => void,
) {
  // Bytes that the host buffers, and those among them for which `write` returned false.
  let held = 0
  let refused = 0
  let isEnded = false

  const release = (bytes: number): void => {
    held -= bytes
    progressed?.()
  }

  const drained = (): void => {
    const bytes = refused
    refused = 0
    if (bytes > 0) release(bytes)
  }

  const send = (bytes: Uint8Array): void => {
    if (isEnded) return
    const { length } = bytes
    try {
      const result = write(bytes)
      if (typeof result === 'object' && result !== null) {
        held += length
        const settle = (): void => release(length)
        // The result may be a promise of another realm, or a thenable.
        Promise.resolve(result).then(settle, (error: unknown) => {
          settle()
          failed(error)
        })
      } else if (result === false) {
        held += length
        refused += length
      } else {
        drained()
      }
    } catch (error) {
      failed(error)
    }
  }

  return {
    /** Bytes that the host still buffers, as far as its `write` tells. */
    buffered: () => held,
    write(bytes: Uint8Array): void {
      if (bytes.length <= SLICE) return send(bytes)
      for (let at = 0; at < bytes.length; at += SLICE) send(bytes.subarray(at, at + SLICE))
    },
    /** Releases the bytes for which `write` returned false. */
    drained,
    /** Ignores all later writes. */
    end(): void {
      isEnded = true
    },
  }
}
