const TOKENS =
  /(?<comment>\/\/.*|\/\*[^]*?(?:\*\/|$))|(?<string>(["'])(?:\\.|(?!\3)[^\\\n])*\3?|`(?:\\.|[^`\\])*`?)|(?<word>\b(?:as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|let|new|null|of|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|yield)\b)|(?<number>\b\d[\d_.eExXa-fA-Fn]*\b)/g

export interface Editor {
  readonly element: HTMLElement
  code: string
}

/** A field for code: its text is coloured by an element above it, which nobody can touch. */
export function createEditor(onInput: () => void): Editor {
  const element = document.createElement('div')
  element.className = 'gsp-editor mono'
  element.innerHTML = `<div class="gsp-lines" aria-hidden="true"></div><textarea aria-label="JavaScript" wrap="off"
    spellcheck="false" autocapitalize="off" autocomplete="off"></textarea><pre aria-hidden="true"></pre>`
  const [lines, field, shown] = element.children as unknown as [HTMLElement, HTMLTextAreaElement, HTMLElement]
  const draw = (): void => {
    const code = field.value
    lines.textContent = Array.from(code.split('\n'), (_, i) => i + 1).join('\n')
    // The browser shows no last line that is empty.
    shown.replaceChildren(...coloured(code), '\n ')
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
    // Keeps what the browser can undo.
    ;(document as { execCommand(command: string, ui: boolean, text: string): boolean }).execCommand(
      'insertText',
      false,
      `\n${indent}`,
    )
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

function coloured(code: string): Node[] {
  const nodes: Node[] = []
  let end = 0
  for (const match of code.matchAll(TOKENS)) {
    nodes.push(new Text(code.slice(end, match.index)))
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    const token = document.createElement('span')
    token.className = `gsp-${kind}`
    token.textContent = match[0]
    nodes.push(token)
    end = match.index + match[0].length
  }
  nodes.push(new Text(code.slice(end)))
  return nodes
}
