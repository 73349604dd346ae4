import { createRedaction, reportLines } from '../../sidecar/index.js'
import type { RecordingLine, Redact, Sidecar } from '../../sidecar/index.js'
import { malformed, refusalResponse } from '../http/refusal.js'

/** Characters after which a part of the answer is handed on, and others get their turn. */
const PART = 64 * 1024

const contentTypes = {
  ndjson: 'application/x-ndjson',
  html: 'text/html; charset=utf-8',
} as const
type Format = keyof typeof contentTypes

const isFormat = (text: string): text is Format => Object.hasOwn(contentTypes, text)

/** Answers `GET /_/api/export`: the session as a recording, or as a page to look at it. */
export async function exportSession(sidecar: Sidecar, url: URL, since: number): Promise<Response> {
  const format = url.searchParams.get('format') ?? 'ndjson'
  if (!isFormat(format)) {
    return refusalResponse(malformed(`format must be ndjson or html; got ${JSON.stringify(format.slice(0, 60))}`))
  }
  let redact: Redact
  try {
    redact = createRedaction(url.searchParams.getAll('redact'))
  } catch (error) {
    return refusalResponse(malformed((error as Error).message))
  }
  return new Response(streamOf(await textsOf(format, sidecar, since, redact)), {
    headers: {
      'content-type': contentTypes[format],
      'content-disposition': `attachment; filename="match.${format}"`,
      // A file to keep: it shall be no page of this origin, whoever shows it.
      'content-security-policy': 'sandbox',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

async function textsOf(
  format: Format,
  sidecar: Sidecar,
  since: number,
  redact: Redact,
): Promise<Generator<string, void>> {
  if (format === 'ndjson') return lineTexts(sidecar.recording(since), redact)
  // The page is large, and most sessions are never exported as one.
  const { reportTexts } = await import('./report-page.js')
  return reportTexts(reportLines(sidecar, since, redact))
}

function* lineTexts(lines: Iterable<RecordingLine>, redact: Redact): Generator<string, void> {
  for (const line of lines) yield `${JSON.stringify(redact(line))}\n`
}

const encoder = new TextEncoder()

/** Texts as a stream that is made as it is read, in turns with everything else. */
function streamOf(texts: Generator<string, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The answer of unknown length begins before its parts are there.
        await new Promise((resolve) => setTimeout(resolve, 0))
        let part = ''
        while (part.length < PART) {
          const next = texts.next()
          if (next.done === true) {
            if (part !== '') controller.enqueue(encoder.encode(part))
            controller.close()
            return
          }
          part += next.value
        }
        controller.enqueue(encoder.encode(part))
      },
      cancel: () => void texts.return(),
    },
    { highWaterMark: 0 },
  )
}
