/** A page with a script, and the page's encoding. */
export interface PageWithScript {
  readonly page: Buffer
  /** Default UTF-8, which every tool writes. Undefined for UTF-16, which gets no script. */
  readonly charset: string | undefined
}

/** By HTML's rules, the encoding must be declared within this many bytes. */
const CHARSET_WITHIN = 1024

/**
 * Puts the tag of a script first into a page's head, so that the script runs first. A page in UTF-16 stays as it is,
 * because bytes of ASCII would spoil it.
 */
export function insertScript(page: Buffer, tag: string): PageWithScript {
  if (isUtf16(page)) return { page, charset: undefined }
  // One character for each byte: every other encoding of pages writes markup in ASCII.
  const text = page.toString('latin1')
  const hasMark = text.startsWith('\u00ef\u00bb\u00bf')
  const at = endOfPreamble(text, hasMark ? 3 : 0)
  return {
    page: Buffer.concat([page.subarray(0, at), Buffer.from(tag), page.subarray(at)]),
    charset: hasMark ? 'utf-8' : declaredCharset(text),
  }
}

const isUtf16 = ([first = 1, second = 1]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0

/** Parts that may stand in front of a head: blanks, comments, the doctype and processing instructions. */
const SKIPPED = /\s+|<!--(?:>|->|[^]*?--!?>)|<!(?!--)[^>]*>|<\?[^>]*>/y
const TAG = /<(html|head)(?=[\s/>])(?:[^>"']|"[^"]*"|'[^']*')*>/iy

/** The offset behind the tag of the head. Where a page has none, behind the tag of the html element or the doctype. */
function endOfPreamble(text: string, start: number): number {
  let at = start
  let end = start
  for (;;) {
    const skipped = matchAt(SKIPPED, text, end)
    if (skipped !== undefined) {
      end += skipped[0].length
      // Only a doctype must stay in front of the script.
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

/** By HTML's rules, a declaration of UTF-16 that can be read as ASCII is wrong and means UTF-8. */
function declaredCharset(text: string): string {
  const declared = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text.slice(0, CHARSET_WITHIN))?.[1]
  return declared === undefined || /^utf-16/i.test(declared) ? 'utf-8' : declared.toLowerCase()
}
