/** Where something is put into an HTML file, and what it says of its encoding. */
export interface Insertion {
  /** Offset in bytes. */
  readonly at: number
  /** Where the file names none: UTF-8, as every tool writes it. */
  readonly charset: string
}

/** How far the encoding may be declared from the start, by HTML's rules. */
const CHARSET_WITHIN = 1024

/**
 * Finds the place in front of everything that a page's head holds, so that what is put there runs first; undefined for
 * UTF-16, where a few bytes of ASCII would spoil the page. Takes the first part of the file.
 */
export function findInsertion(start: Buffer): Insertion | undefined {
  if (isUtf16(start)) return undefined
  // One character a byte: every other encoding of a page writes markup as ASCII does.
  const text = start.toString('latin1')
  const hasMark = text.startsWith('\u00ef\u00bb\u00bf')
  return { at: endOfPreamble(text, hasMark ? 3 : 0), charset: hasMark ? 'utf-8' : declaredCharset(text) }
}

const isUtf16 = ([first = 1, second = 1]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0

/** What may stand before a head: blanks, comments, the doctype and processing instructions. */
const SKIPPED = /\s+|<!--(?:>|->|[^]*?--!?>)|<!(?!--)[^>]*>|<\?[^>]*>/y
const TAG = /<(html|head)(?=[\s/>])(?:[^>"']|"[^"]*"|'[^']*')*>/iy

/**
 * After the tag of the head; where it is left out, as HTML allows, after that of the html element or what else stands
 * before the content.
 */
function endOfPreamble(text: string, start: number): number {
  let at = start
  let end = start
  for (;;) {
    const skipped = matchAt(SKIPPED, text, end)
    if (skipped !== undefined) {
      end += skipped[0].length
      // Blanks and comments needn't be passed, but a doctype must stay first.
      if (/^<[!?](?!--)/.test(skipped[0])) at = end
      continue
    }
    const tag = matchAt(TAG, text, end)
    if (tag === undefined) return at
    end += tag[0].length
    at = end
    if (tag[1]!.toLowerCase() === 'head') return at
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** By HTML's rules a UTF-16 that can be read as ASCII is none. */
function declaredCharset(text: string): string {
  const declared = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text.slice(0, CHARSET_WITHIN))?.[1]
  return declared === undefined || /^utf-16/i.test(declared) ? 'utf-8' : declared.toLowerCase()
}
