import type { DevtoolsSession } from '../browser/devtools.js'

/** Where the source map of a script is, and where the script begins in its file. */
export interface MappedScript {
  /** Absolute, or `data:`. */
  readonly mapUrl: string
  readonly startLine: number
  readonly startColumn: number
}

interface ScriptParsed {
  readonly url: string
  readonly sourceMapURL?: string
  readonly startLine: number
  readonly startColumn: number
}

/** A page may make scripts for ever, by `eval`. The first are those of the build. */
const MAX_SCRIPTS = 1_000
/** Characters of all source maps that are in a script themselves. */
const MAX_INLINE = 64 * 1024 * 1024

/**
 * Notes the scripts that have a source map, and nothing of those whose map would have to come from elsewhere than the
 * page's own origin. It hears of them once somebody sends `Debugger.enable`.
 */
export function noteScripts(session: DevtoolsSession, origin: string): (url: string) => MappedScript | undefined {
  const scripts = new Map<string, MappedScript>()
  let inlined = 0

  session.on<ScriptParsed>('Debugger.scriptParsed', ({ url, sourceMapURL, startLine, startColumn }) => {
    if (!sourceMapURL || (scripts.size >= MAX_SCRIPTS && !scripts.has(url))) return
    const mapUrl = sourceMapURL.startsWith('data:') ? sourceMapURL : absolute(sourceMapURL, url, origin)
    if (mapUrl === undefined) return
    if (mapUrl.startsWith('data:')) {
      if (inlined + mapUrl.length > MAX_INLINE) return
      inlined += mapUrl.length
    }
    scripts.set(url, { mapUrl, startLine, startColumn })
  })
  session.on('Runtime.executionContextsCleared', () => {
    scripts.clear()
    inlined = 0
  })
  return (url) => scripts.get(url)
}

function absolute(relative: string, base: string, origin: string): string | undefined {
  try {
    const url = new URL(relative, base)
    return url.origin === origin ? url.href : undefined
  } catch {
    return undefined
  }
}
