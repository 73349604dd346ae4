import { readText } from '../../node/local/game-server-file.js'
import { isObject } from '../../protocol/is-object.js'

/** A GameServer file before anything is checked. */
export type Manifest = Readonly<Record<string, unknown>>

/** Reads the GameServer of a file as it stands there; of a Fleet, its template. An Error says why there is none. */
export async function readManifestFile(path: string): Promise<Manifest | Error> {
  let text: string
  try {
    text = await readText(path)
  } catch (error) {
    return error as Error
  }
  const { parseAllDocuments } = await import('../../node/yaml.js')
  let values: Manifest[]
  try {
    const documents = parseAllDocuments(text)
    const list = Array.isArray(documents) ? documents : []
    const [problem] = list.flatMap(({ errors }) => errors)
    if (problem !== undefined) throw problem
    values = list.map((document) => document.toJS() as unknown).filter(isObject)
  } catch (error) {
    // Also of references that lead nowhere or grow without end, which only the second step finds.
    return new Error(`${path} is no YAML: ${(error as Error).message.split('\n')[0]!.replace(/:$/, '')}`)
  }
  const found = values.find(({ kind }) => kind === 'GameServer' || kind === 'Fleet') ?? values[0]
  if (found === undefined) return new Error(`${path} holds no object`)
  return templateOf(found)
}

function templateOf(value: Manifest): Manifest {
  const { kind, spec } = value
  const template = kind === 'Fleet' && isObject(spec) ? spec['template'] : undefined
  return isObject(template) ? { apiVersion: value['apiVersion'], kind: 'GameServer', ...template } : value
}

/** The object at a path of names; empty where there is none. */
export function at(value: unknown, ...path: readonly string[]): Manifest {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  return isObject(found) ? found : {}
}
