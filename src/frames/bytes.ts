/** Nothing yet, or nothing more. */
export const none = new Uint8Array(0)

/** Like `subarray`, which is slow for Node's Buffer. */
export const view = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)

/** One byte for each character, none of which is above 255. */
export const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, c => c.charCodeAt(0))

/** A copy of both in a new array of `size`, by default their own. */
export const concat = (a: Uint8Array, b: Uint8Array, size = a.length + b.length): Uint8Array => {
  const bytes = new Uint8Array(size)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}
