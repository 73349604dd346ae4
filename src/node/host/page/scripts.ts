import type { DevtoolsSession } from '../browser/devtools.js'

/** Where the source map of a script is, and where the script begins in its file. */
export interface MappedScript {
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
export interface Scripts {
  /** Notes those of a thread, once somebody sends it `Debugger.enable`. Returns the function that ends it. */
  follow(session: DevtoolsSession): () => void
  at(url: string): MappedScript | undefined
  /** The URL of a script in the thread of a session. */
  urlOf(session: DevtoolsSession, scriptId: string): string | undefined
}

export function createScripts(origin: string): Scripts {
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
