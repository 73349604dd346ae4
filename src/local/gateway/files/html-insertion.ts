/** By HTML's rules, the encoding must be declared within this many bytes. */
const CHARSET_WITHIN = 1024

/** Puts the tag of a script first into a page's head, so that the script runs first. */
export function insertScript(page: Buffer, tag: string): Buffer {
  // One character for each byte: all encodings of pages write markup in ASCII.
  const text = page.toString('latin1')
  const at = endOfPreamble(text, text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0)
  return Buffer.concat([page.subarray(0, at), Buffer.from(tag), page.subarray(at)])
}

/** The type of a page. A page without a declared encoding has UTF-8, which every tool writes. */
export const pageType = (page: Buffer): string =>
  /<meta[^>]*?charset\s*=/i.test(page.toString('latin1', 0, CHARSET_WITHIN)) ? 'text/html' : 'text/html; charset=utf-8'

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
