import { setImmediate } from 'node:timers/promises'
import { ReadableStream } from 'node:stream/web'
import { createRedaction, reportLines } from '../../platform/sidecar.js'
import { InvalidInput } from '../../platform/schema.js'
import type { RecordingLine, Redact, Sidecar } from '../../platform/sidecar.js'

/** Characters after which a part of the answer is sent, and other requests get their turn. */
const PART = 64 * 1024

const contentTypes: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  html: 'text/html; charset=utf-8',
}

/**
 * Answers `GET /_/api/export`: the session as a recording, or as a page that shows it.
 *
 * @throws InvalidInput for a query that makes no sense
 */
export async function exportSession(sidecar: Sidecar, query: URLSearchParams, since: number): Promise<Response> {
  const format = query.get('format') ?? 'ndjson'
  if (!Object.hasOwn(contentTypes, format)) {
    const message = `format must be ndjson or html; got ${JSON.stringify(format.slice(0, 60))}`
    throw new InvalidInput({ message, path: [] })
  }
  const redact = redactionOf(query.getAll('redact'))
  const texts =
    format === 'ndjson'
      ? lineTexts(sidecar.recording(since), redact)
      : // Loaded on demand: the page is large, and few sessions are exported as one.
        (await import('./dashboard-page.js')).reportTexts(reportLines(sidecar, since, redact))
  return new Response(ReadableStream.from(bytesOf(texts)) as BodyInit, {
    headers: {
      'content-type': contentTypes[format]!,
      'content-disposition': `attachment; filename="match.${format}"`,
      // The file must never run as a page of this origin.
      'content-security-policy': 'sandbox',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

function redactionOf(patterns: readonly string[]): Redact {
  try {
    return createRedaction(patterns)
  } catch (error) {
    throw new InvalidInput({ message: (error as Error).message, path: [] })
  }
}

function* lineTexts(lines: Iterable<RecordingLine>, redact: Redact): Generator<string, void> {
  for (const line of lines) yield `${JSON.stringify(redact(line))}\n`
}

/** Encodes texts as they are read, in turns with everything else. */
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
