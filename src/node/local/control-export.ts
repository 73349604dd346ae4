import { createRedaction, harEnd, harEntry, harStart } from '../../sidecar/index.js'
import type { RecordingLine, Redact, Sidecar } from '../../sidecar/index.js'
import { malformed, refusalResponse } from '../http/refusal.js'

/** Characters after which a part of the answer is handed on, and others get their turn. */
const PART = 64 * 1024

/** Answers `GET /_/api/export`: the session as a recording, or its calls as an HTTP Archive. */
export function exportSession(sidecar: Sidecar, url: URL, since: number): Response {
  const format = url.searchParams.get('format') ?? 'ndjson'
  if (format !== 'ndjson' && format !== 'har') {
    return refusalResponse(malformed(`format must be ndjson or har; got ${JSON.stringify(format.slice(0, 60))}`))
  }
  let redact: Redact
  try {
    redact = createRedaction(url.searchParams.getAll('redact'))
  } catch (error) {
    return refusalResponse(malformed((error as Error).message))
  }
  const lines = sidecar.recording(since)
  const texts = format === 'har' ? harTexts(lines, redact, url.origin) : lineTexts(lines, redact)
  const name = format === 'har' ? 'match.har' : 'match.ndjson'
  return new Response(streamOf(texts), {
    headers: {
      'content-type': format === 'har' ? 'application/json' : 'application/x-ndjson',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

function* lineTexts(lines: Iterable<RecordingLine>, redact: Redact): Generator<string, void> {
  for (const line of lines) yield `${JSON.stringify(redact(line))}\n`
}

function* harTexts(lines: Iterable<RecordingLine>, redact: Redact, base: string): Generator<string, void> {
  yield harStart('1')
  let separator = ''
  let last: Extract<RecordingLine, { type: 'entry' }> | undefined
  const tell = function* (exchange?: Extract<RecordingLine, { type: 'exchange' }>): Generator<string, void> {
    const entry = last && harEntry(last.entry, exchange, base)
    last = undefined
    if (entry === undefined) return
    yield separator + JSON.stringify(entry)
    separator = ','
  }
  for (const line of lines) {
    const clean = line.type === 'entry' || line.type === 'exchange' ? redact(line) : line
    if (clean.type === 'exchange') yield* tell(clean)
    if (clean.type !== 'entry') continue
    yield* tell()
    last = clean
  }
  yield* tell()
  yield harEnd
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
