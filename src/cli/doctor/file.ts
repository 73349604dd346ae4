import { clusterMistakes } from '../../platform/schema.js'
import { failure, ok, skipped, warning, type Check, type Finding } from './check.js'
import type { Subject } from './subject.js'

/** By the rules of the local sidecar, then by those of a cluster. */
async function checkFile({ file, manifest }: Subject): Promise<Finding | readonly Finding[]> {
  if (file === undefined) return skipped('no file is named; give --file gameserver.yaml')
  const found = await manifest()
  if (found instanceof Error) return failure(found.message, `fix ${file}, or name another file with --file`)
  const mistakes = clusterMistakes(found.value)
  if (mistakes.length === 0) return ok(`${file} is a ${String(found.value['kind'])} that a cluster takes`)
  return mistakes.map(({ path, message, isAdvice }) => {
    const text = `${file}:${found.lineOf(path)}: ${message}`
    return isAdvice === true ? warning(text, 'change it, unless that is meant') : failure(text, 'a cluster refuses it')
  })
}

export const fileChecks: readonly Check[] = [{ id: 'file', group: 'File', run: checkFile }]
