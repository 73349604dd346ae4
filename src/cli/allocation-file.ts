import { plainText } from '../node/plain-text.js'
import { readTextFile } from '../node/local/read-text-file.js'
import { findDocument, YamlError } from '../node/local/yaml-documents.js'
import { allocationMistake } from '../schema/allocation.js'
import type { GameServerAllocation } from '../sidecar/index.js'
import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'

const KIND = 'GameServerAllocation'

/**
 * Reads a GameServerAllocation from a YAML or JSON file, and checks it. Of several documents the first one is taken.
 *
 * @throws UsageError that names the file, the line and the fix
 * @throws CommandError for a file that can't be read
 */
export async function readAllocationFile(path: string): Promise<GameServerAllocation> {
  const text = await readTextFile(path).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    const why = { ENOENT: 'there is no such file', EACCES: 'it may not be read', EPERM: 'it may not be read' }[
      code ?? ''
    ]
    const exit = code === 'ENOENT' ? EXIT.NO_FILE : EXIT.USAGE
    throw new CommandError(exit, `Cannot read ${plainText(path)}: ${why ?? message}.`, { cause: error })
  })
  const { value, lineOf } = await findDocument(text, (one) => kindOf(one) === KIND).catch((error: unknown) => {
    if (!(error instanceof YamlError)) throw error
    throw new UsageError(`${plainText(path)} is neither YAML nor JSON: ${error.message}.`, { cause: error })
  })
  if (kindOf(value) !== KIND) throw new UsageError(`${plainText(path)} holds no ${KIND}: ${whatIsThere(value)}.`)
  const hasVersion = typeof value === 'object' && value !== null && 'apiVersion' in value
  const problem = hasVersion
    ? allocationMistake(value)
    : { message: 'apiVersion must be "allocation.agones.dev/v1"; got nothing', path: ['kind'] }
  if (problem === undefined) return value as GameServerAllocation
  const place = `${plainText(path)}:${lineOf(problem.path)}`
  throw new UsageError(`${place}: ${problem.message}${problem.message.endsWith('?') ? '' : '.'}`)
}

const kindOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined

function whatIsThere(value: unknown): string {
  const kind = kindOf(value)
  if (kind !== undefined) return `its kind is ${JSON.stringify(kind)}`
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `it needs kind: ${KIND}`
    : 'it must be an object'
}
