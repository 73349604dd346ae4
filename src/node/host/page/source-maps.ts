import type { DevtoolsSession } from '../browser/devtools.js'
import { plainText } from '../../plain-text.js'

/** A function that runs, as stacks of the protocol tell it; lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** The same as `Debugger.paused` tells it, by the script's number alone. */
export interface PausedFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number }
}

export interface SourceMaps {
  /** A stack as an error's `stack` has it, with the places of the sources where there is a map. */
  mapStack(text: string): Promise<string>
  /** Lines such as `at step (src/game.ts:12:5)`. */
  describeCallFrames(frames: readonly CallFrame[]): Promise<string[]>
  /** The same for the frames at which the thread of a session was stopped. */
  describePaused(session: DevtoolsSession, frames: readonly PausedFrame[]): Promise<string[]>
  /** Notes the scripts of one more thread, such as a worker, once `Debugger.enable` is sent to it. */
  follow(session: DevtoolsSession): () => void
}

export interface SourceMapsOptions {
  /** Of the gateway. Source maps come from nowhere else, and places in its files are told without it. */
  readonly origin: string
  readonly fetchText?: FetchText
}

type FetchText = (url: string) => Promise<string | undefined>

/** A map of a large build takes tens of MB in memory, so it goes when no stack has needed it for a while. */
const KEEP_MAP_MS = 10_000
const FETCH_MS = 2_000
const MAX_PLACES = 1_000
const MAX_FRAMES = 30
/** Longest line in which a place is looked for. */
const MAX_LINE = 4_000

/** ` at name (URL:line:column)`, or without a name and brackets. */
const FRAME = /^(\s*at (?:.*\()?)([^\s()]+):(\d+):(\d+)(\)?)$/

export function createSourceMaps({ origin, fetchText: read = fetchText }: SourceMapsOptions): SourceMaps {
  const scripts = createScripts(origin)
  const maps = new Map<string, { readonly map: Promise<LookUp>; readonly timer: NodeJS.Timeout }>()
  const places = new Map<string, string>()

  const mapOf = ({ mapUrl }: MappedScript): Promise<LookUp> => {
    const kept = maps.get(mapUrl)
    kept?.timer.refresh()
    if (kept !== undefined) return kept.map
    const map = loadMap(mapUrl, read)
    maps.set(mapUrl, { map, timer: setTimeout(() => maps.delete(mapUrl), KEEP_MAP_MS).unref() })
    return map
  }

  /** @param line from 1 @param column from 1 */
  const placeOf = async (url: string, line: number, column: number): Promise<string> => {
    const key = `${url}:${line}:${column}`
    const known = places.get(key)
    if (known !== undefined) return known
    const script = scripts.at(url)
    const source = script && sourceOf(await mapOf(script), script, line, column)
    const place = source === undefined ? within(origin, key) : within(origin, source)
    if (places.size >= MAX_PLACES) places.delete(places.keys().next().value!)
    places.set(key, place)
    return place
  }

  const mapLine = async (line: string): Promise<string> => {
    const [, before, url, row, column, after] = (line.length <= MAX_LINE && FRAME.exec(line)) || []
    if (before === undefined) return line
    return before + (await placeOf(url!, Number(row), Number(column))) + after!
  }

  const describeCallFrames = (frames: readonly CallFrame[]): Promise<string[]> =>
    Promise.all(
      frames.slice(0, MAX_FRAMES).map(async ({ functionName, url, lineNumber, columnNumber }) => {
        const place = url === '' ? '<anonymous>' : await placeOf(url, lineNumber + 1, columnNumber + 1)
        return plainText(functionName === '' ? `at ${place}` : `at ${functionName} (${place})`)
      }),
    )

  return {
    follow: scripts.follow,
    mapStack: async (text) => (await Promise.all(text.split('\n').map(mapLine))).join('\n'),
    describeCallFrames,
    describePaused: (session, frames) =>
      describeCallFrames(
        frames.map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
          return { functionName, url: scripts.urlOf(session, scriptId) ?? '', lineNumber, columnNumber }
        }),
      ),
  }
}

/** The place in the sources; line from 1, column from 0. */
type LookUp = (line: number, column: number) => string | undefined

async function loadMap(url: string, read: FetchText): Promise<LookUp> {
  try {
    const text = url.startsWith('data:') ? await (await fetch(url)).text() : await read(url)
    if (text === undefined) return () => undefined
    // A map may begin with a line that keeps other pages from running it as a script.
    const json = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')) as object
    dropSources(json)
    // Most servers never throw.
    const { FlattenMap, originalPositionFor } = await import('@jridgewell/trace-mapping')
    const map = new FlattenMap(json as never, url.startsWith('data:') ? undefined : url)
    return (line, column) => {
      const found = originalPositionFor(map, { line, column })
      // A broken map may lead to a source that it doesn't have.
      return found.source ? `${found.source}:${found.line}:${found.column + 1}` : undefined
    }
  } catch {
    return () => undefined
  }
}

/** Reads a file of the gateway: nothing if it isn't there or takes too long. */
export async function fetchText(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) })
    const text = await answer.text()
    return answer.ok ? text : undefined
  } catch {
    return undefined
  }
}

/** The texts of the sources are most of a map, and nobody reads them here. */
function dropSources(map: { sourcesContent?: unknown; sections?: unknown }): void {
  delete map.sourcesContent
  if (!Array.isArray(map.sections)) return
  for (const { map: inner } of map.sections as { map?: { sourcesContent?: unknown } }[]) delete inner?.sourcesContent
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

/** Where the source map of a script is, and where the script begins in its file. */
interface MappedScript {
  /** Absolute, or `data:`. */
  readonly mapUrl: string
  readonly startLine: number
  readonly startColumn: number
}

interface ScriptParsed {
  readonly scriptId: string
  readonly url: string
  readonly sourceMapURL?: string
  readonly startLine: number
  readonly startColumn: number
}

/** A page may make scripts for ever, by `eval`. The first are those of the build. */
const MAX_SCRIPTS = 1_000
/** Characters of all source maps that are in a script themselves. */
const MAX_INLINE = 64 * 1024 * 1024

/** The scripts that have a source map. Maps of other origins than the page's own are as good as none. */
interface Scripts {
  /** Notes those of a thread, once somebody sends it `Debugger.enable`. Returns the function that ends it. */
  follow(session: DevtoolsSession): () => void
  at(url: string): MappedScript | undefined
  /** The URL of a script in the thread of a session. */
  urlOf(session: DevtoolsSession, scriptId: string): string | undefined
}

function createScripts(origin: string): Scripts {
  const scripts = new Map<string, MappedScript>()
  const urls = new WeakMap<DevtoolsSession, Map<string, string>>()
  let inlined = 0

  const note = ({ url, sourceMapURL, startLine, startColumn }: ScriptParsed): void => {
    if (!sourceMapURL || (scripts.size >= MAX_SCRIPTS && !scripts.has(url))) return
    const mapUrl = sourceMapURL.startsWith('data:') ? sourceMapURL : absolute(sourceMapURL, url, origin)
    if (mapUrl === undefined) return
    if (mapUrl.startsWith('data:')) {
      const known = scripts.get(url)?.mapUrl ?? ''
      const more = mapUrl.length - (known.startsWith('data:') ? known.length : 0)
      if (inlined + more > MAX_INLINE) return
      inlined += more
    }
    scripts.set(url, { mapUrl, startLine, startColumn })
  }

  return {
    at: (url) => scripts.get(url),
    follow(session) {
      const own = new Map<string, string>()
      urls.set(session, own)
      return session.on<ScriptParsed>('Debugger.scriptParsed', (script) => {
        if (script.url !== '' && own.size < MAX_SCRIPTS) own.set(script.scriptId, script.url)
        note(script)
      })
    },
    urlOf: (session, scriptId) => urls.get(session)?.get(scriptId),
  }
}

function absolute(relative: string, base: string, origin: string): string | undefined {
  try {
    const url = new URL(relative, base)
    return url.origin === origin ? url.href : undefined
  } catch {
    return undefined
  }
}
