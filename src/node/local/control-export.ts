import { setImmediate } from 'node:timers/promises'
import { ReadableStream } from 'node:stream/web'
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
  return new Response(ReadableStream.from(bytesOf(await textsOf(format, sidecar, since, redact))) as BodyInit, {
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

/** Texts as bytes that are made as they are read, in turns with everything else. */
async function* bytesOf(texts: Iterable<string>): AsyncGenerator<Buffer> {
  let part = ''
  for (const text of texts) {
    part += text
    if (part.length < PART) continue
    await setImmediate()
    yield Buffer.from(part)
    part = ''
  }
  await setImmediate()
  yield Buffer.from(part)
}
