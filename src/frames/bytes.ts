/** Like `subarray`, which is slow for Node's Buffer. */
export const view = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)

/** One byte for each character, none of which is above 255. */
export const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))
