/** Characters of code at most, also of a link's. */
const MAX_CODE = 50_000

const IMPORT = /^([ \t]*)import\s+(?:([\w$]+|\*\s*as\s+[\w$]+|\{[^}]*\})\s*from\s*)?(["'])([^"'\n]+)\3[ \t]*;?/gm

/** Turns the imports of a module into constants, line by line, so that the lines keep their numbers. */
export function withoutImports(code: string): string {
  return code.replace(IMPORT, (_all, space: string, names: string | undefined, _quote, from: string) => {
    const module = `$import(${JSON.stringify(from)});`
    if (names === undefined) return space + module
    const bound = names.startsWith('{')
      ? names.replaceAll(/\sas\s/g, ': ')
      : names.startsWith('*')
        ? names.replace(/^\*\s*as\s+/, '')
        : `{ default: ${names} }`
    return `${space}const ${bound} = ${module}`
  })
}

/** What stands behind `#` of a link that holds code. */
export async function toFragment(code: string): Promise<string> {
  const packed = new Blob([code]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return `code=${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/**
 * The code that a link holds; undefined if it holds none.
 *
 * @throws Error for code that is damaged or too long
 */
export async function fromFragment(fragment: string): Promise<string | undefined> {
  const [, text] = /^#?code=(.*)$/.exec(fragment) ?? []
  if (text === undefined) return undefined
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let code = ''
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read()
    code += decoder.decode(value, { stream: !done })
    // A few bytes may unpack to gigabytes.
    if (code.length > MAX_CODE) throw new Error('The code is too long')
    if (done) break
  }
  if (code.trim() === '') throw new Error('The code is empty')
  return code
}
