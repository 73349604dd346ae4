const named: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** A string in double quotes with escapes, as the real sidecar puts names into its messages. */
export function quote(text: string): string {
  let quoted = '"'
  for (const char of text) quoted += escape(char)
  return quoted + '"'
}

/** The same for bytes that may be cut in the middle of a character. */
export function quoteBytes(bytes: Uint8Array): string {
  let quoted = '"'
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at)
    if (length === 0) {
      quoted += '\\x' + hex(bytes[at]!, 2)
      at++
    } else {
      quoted += escape(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, at + length)))
      at += length
    }
  }
  return quoted + '"'
}

/** One byte in single quotes; a byte above 127 is shown as the Latin-1 character of that number. */
export function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte)
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  return `'${escape(char)}'`
}

function escape(char: string): string {
  const short = named[char]
  if (short !== undefined) return short
  if (printable.test(char)) return char
  const code = char.codePointAt(0)!
  if (code < 0x80) return '\\x' + hex(code, 2)
  return code > 0xffff ? '\\U' + hex(code, 8) : '\\u' + hex(code, 4)
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** Bytes of the valid UTF-8 sequence at `at`, 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0 || at + length > bytes.length) return 0
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(at, at + length))
    return length
  } catch {
    return 0
  }
}
