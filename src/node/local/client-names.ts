import { headerValues } from '../http/request-guard.js'

/** Clients that get a name of their own; later ones share one. */
const mostClients = 200

/** Programs that tell in their User-Agent what they are. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/^node\b|undici/i, 'node'],
  [/^deno\b/i, 'deno'],
  [/^bun\b/i, 'bun'],
  [/^curl\//i, 'curl'],
  [/^go-http-client/i, 'go'],
  [/python/i, 'python'],
  [/unity/i, 'unity'],
  [/unreal/i, 'unreal'],
  [/godot/i, 'godot'],
  [/^mozilla\//i, 'page'],
]

/**
 * Creates the function that gives each client a short name for the log: `page#1`, `node#1`. Clients with the same
 * User-Agent count as one. A WebSocket without any is `ws#1`, with a number for each connection.
 */
export function createClientNames(): (rawHeaders: readonly string[], isUpgrade: boolean) => string {
  const names = new Map<string, string>()
  const numbers = new Map<string, number>()

  const next = (kind: string): string => {
    const number = (numbers.get(kind) ?? 0) + 1
    numbers.set(kind, number)
    return `${kind}#${number}`
  }
  return (rawHeaders, isUpgrade) => {
    const agent = headerValues(rawHeaders, 'user-agent')[0] ?? ''
    const origin = headerValues(rawHeaders, 'origin')[0] ?? ''
    if (isUpgrade && agent === '' && origin === '') return next('ws')
    const kind = kindOf(agent, origin)
    // The Origin is no part of it: a browser sends none with a GET of its own page.
    const key = `${kind} ${agent.slice(0, 200)}`
    const known = names.get(key)
    if (known !== undefined) return known
    if (names.size >= mostClients) return `${kind}#other`
    const name = next(kind)
    names.set(key, name)
    return name
  }
}

function kindOf(agent: string, origin: string): string {
  for (const [pattern, kind] of programs) if (pattern.test(agent)) return kind
  return origin === '' ? 'client' : 'page'
}
