import type { DevtoolsSession } from '../browser/devtools.js'
import { plainText } from '../../local/files.js'

/** A stack frame of the DevTools protocol; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

export type SourceMaps = ReturnType<typeof createSourceMaps>

type FetchText = (url: string) => Promise<string | undefined>
/** The place in the sources; line from 1, column from 0. */
type LookUp = (line: number, column: number) => string | undefined

/** `Debugger.scriptParsed` */
interface ScriptParsed {
  readonly url: string
  readonly sourceMapURL?: string
  readonly startLine: number
  readonly startColumn: number
}

/** Where the source map of a script is, and where the script begins in its file. */
interface MappedScript {
  /** Absolute, or `data:`. */
  readonly mapUrl: string
  readonly startLine: number
  readonly startColumn: number
}

/** The map of a large build takes tens of MB of memory, so it is dropped when no stack has used it for this time. */
const KEEP_MAP_MS = 10_000
const FETCH_MS = 2_000
/** A page may create any number of scripts by `eval`. The build's scripts come first. */
export const MAX_SCRIPTS = 1_000
const MAX_FRAMES = 30
/** Longest line that is searched for a place. */
const MAX_LINE = 4_000

/** ` at name (URL:line:column)`, or without a name and brackets. */
const FRAME = /^(\s*at (?:.*\()?)([^\s()]+):(\d+):(\d+)(\)?)$/

/** @param origin the gateway's, the only one for source maps. It is left out of places in the gateway's files. */
export function createSourceMaps(origin: string, read: FetchText = fetchText) {
  const scripts = new Map<string, MappedScript>()
  const maps = new Map<string, { readonly map: Promise<LookUp>; readonly timer: NodeJS.Timeout }>()

  const mapOf = (mapUrl: string): Promise<LookUp> => {
    const kept = maps.get(mapUrl)
    kept?.timer.refresh()
    if (kept !== undefined) return kept.map
    const map = loadMap(mapUrl, read)
    maps.set(mapUrl, { map, timer: setTimeout(() => maps.delete(mapUrl), KEEP_MAP_MS).unref() })
    return map
  }

  /** @param line from 1 @param column from 1 */
  const placeOf = async (url: string, line: number, column: number): Promise<string> => {
    const script = scripts.get(url)
    const source = script && sourceOf(await mapOf(script.mapUrl), script, line, column)
    return within(origin, source ?? `${url}:${line}:${column}`)
  }

  const mapLine = async (line: string): Promise<string> => {
    const [, before, url, row, column, after] = (line.length <= MAX_LINE && FRAME.exec(line)) || []
    if (before === undefined) return line
    return before + (await placeOf(url!, Number(row), Number(column))) + after!
  }

  return {
    /** Notes the scripts of one more thread, such as a worker, once `Debugger.enable` is sent to it. */
    follow: (session: DevtoolsSession) =>
      session.on<ScriptParsed>('Debugger.scriptParsed', ({ url, sourceMapURL, startLine, startColumn }) => {
        if (!sourceMapURL || (scripts.size >= MAX_SCRIPTS && !scripts.has(url))) return
        // Source maps of other origins are ignored.
        const mapUrl = URL.canParse(sourceMapURL, url) ? new URL(sourceMapURL, url) : undefined
        if (mapUrl?.origin === origin || mapUrl?.protocol === 'data:')
          scripts.set(url, { mapUrl: mapUrl.href, startLine, startColumn })
      }),
    /** A stack as an error's `stack` has it, with places in the sources if there is a source map. */
    mapStack: async (text: string) => (await Promise.all(text.split('\n').map(mapLine))).join('\n'),
    /** Lines such as `at step (src/game.ts:12:5)`. */
    describeCallFrames: (frames: readonly CallFrame[]) =>
      Promise.all(
        frames.slice(0, MAX_FRAMES).map(async ({ functionName, url, lineNumber, columnNumber }) => {
          const place = url === '' ? '<anonymous>' : await placeOf(url, lineNumber + 1, columnNumber + 1)
          return plainText(functionName === '' ? `at ${place}` : `at ${functionName} (${place})`)
        }),
      ),
  }
}

async function loadMap(url: string, read: FetchText): Promise<LookUp> {
  const isInScript = url.startsWith('data:')
  try {
    const text = isInScript ? await (await fetch(url)).text() : ((await read(url)) ?? '')
    // A map may begin with a line that keeps other pages from running it as a script.
    const json = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')) as { sourcesContent?: unknown }
    // Drops the sources' texts, which make up most of a map and aren't used.
    delete json.sourcesContent
    // Loaded on first use: most servers never throw.
    const { FlattenMap, originalPositionFor } = await import('@jridgewell/trace-mapping')
    const map = new FlattenMap(json as never, isInScript ? undefined : url)
    return (line, column) => {
      const found = originalPositionFor(map, { line, column })
      // A broken map may name a source that it lacks.
      return found.source ? `${found.source}:${found.line}:${found.column + 1}` : undefined
    }
  } catch {
    return () => undefined
  }
}

/** Reads a file of the gateway; undefined if the file is missing or takes too long. */
export async function fetchText(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) })
    const text = await answer.text()
    return answer.ok ? text : undefined
  } catch {
    return undefined
  }
}

/** @param line of the script's file, from 1 @param column from 1 */
function sourceOf(
  lookUp: LookUp,
  { startLine, startColumn }: MappedScript,
  line: number,
  column: number,
): string | undefined {
  const inScript = line - startLine
  try {
    return lookUp(Math.max(1, inScript), Math.max(0, column - 1 - (inScript === 1 ? startColumn : 0)))
  } catch {
    return undefined
  }
}

/** A place without the origin that all files of the page have; only the page itself keeps its slash. */
function within(origin: string, place: string): string {
  if (!place.startsWith(`${origin}/`)) return place
  const path = place.slice(origin.length)
  return path.startsWith('/:') ? path : path.slice(1)
}
