/** The longest code that the playground takes from a link, in characters. */
const MAX_CODE = 50_000

const IMPORT = /^([ \t]*)import\s+(?:([\w$]+|\*\s*as\s+[\w$]+|\{[^}]*\})\s*from\s*)?(["'])([^"'\n]+)\3[ \t]*;?/gm

/** Turns the imports of a module into constants without adding or removing lines, so that line numbers stay right. */
export function withoutImports(code: string): string {
  return code.replace(IMPORT, (_all, space: string, names: string | undefined, _quote, from: string) => {
    const module = `$import(${JSON.stringify(from)});`
    if (names === undefined) return space + module
    if (names.startsWith('{')) return `${space}const ${names.replaceAll(/\sas\s/g, ': ')} = ${module}`
    return `${space}const ${names.startsWith('*') ? names.replace(/^\*\s*as\s+/, '') : `{ default: ${names} }`} = ${module}`
  })
}

/** The fragment of a link that holds the code. */
export async function toFragment(code: string): Promise<string> {
  const packed = new Blob([code]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer())
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return `code=${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/**
 * The code in the fragment of a link; undefined if it holds none.
 *
 * @throws Error for code that is damaged, empty or too long
 */
export async function fromFragment(fragment: string): Promise<string | undefined> {
  const [, text] = /^#?code=(.*)$/.exec(fragment) ?? []
  if (text === undefined) return undefined
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = unpacked.pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader()
  let code = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    code += part.value
    // A few bytes may unpack to gigabytes.
    if (code.length > MAX_CODE) throw new Error('The code is too long')
  }
  if (code.trim() === '') throw new Error('The code is empty')
  return code
}

/** Each kind of token, named by the variable of its colour: comments, strings, keywords and numbers. */
const TOKENS =
  /(?<muted>\/\/.*|\/\*[^]*?(?:\*\/|$))|(?<green>(["'])(?:\\.|(?!\3)[^\\\n])*\3?|`(?:\\.|[^`\\])*`?)|(?<violet>\b(?:as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|let|new|null|of|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|yield)\b)|(?<orange>\b\d[\d_.eExXa-fA-Fn]*\b)/g

export interface Editor {
  readonly element: HTMLElement
  code: string
}

/** A text field whose own text is transparent: a `pre` on top shows the same text in colours. */
export function createEditor(onInput: () => void): Editor {
  const element = document.createElement('div')
  element.className = 'gsp-editor mono'
  element.innerHTML = `<div class="gsp-lines" aria-hidden="true"></div><textarea aria-label="JavaScript" wrap="off"
    spellcheck="false" autocapitalize="off" autocomplete="off"></textarea><pre aria-hidden="true"></pre>`
  const [lines, field, shown] = element.children as unknown as [HTMLElement, HTMLTextAreaElement, HTMLElement]
  const draw = (): void => {
    lines.textContent = Array.from(field.value.split('\n'), (_, i) => i + 1).join('\n')
    // A browser doesn't show an empty last line.
    shown.replaceChildren(...coloured(field.value), '\n ')
  }
  field.addEventListener('input', () => {
    draw()
    onInput()
  })
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return
    const line = field.value.slice(0, field.selectionStart).split('\n').at(-1)!
    const indent = /^\s*/.exec(line)![0] + (/[{([]\s*$/.test(line) ? '  ' : '')
    if (indent === '') return
    event.preventDefault()
    // Unlike a change of `value`, this command can be undone.
    const page = document as { execCommand(command: string, ui: boolean, text: string): boolean }
    page.execCommand('insertText', false, `\n${indent}`)
  })
  return {
    element,
    get code() {
      return field.value
    },
    set code(code) {
      field.value = code
      field.scrollTop = 0
      draw()
    },
  }
}

function coloured(code: string): (string | Node)[] {
  const parts: (string | Node)[] = []
  let end = 0
  for (const match of code.matchAll(TOKENS)) {
    const [colour] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    const token = document.createElement('span')
    token.style.color = `var(--${colour})`
    token.textContent = match[0]
    parts.push(code.slice(end, match.index), token)
    end = match.index + match[0].length
  }
  return [...parts, code.slice(end)]
}
