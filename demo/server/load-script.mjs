import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'

/**
 * Runs a file as an engine's script VM runs a classic script: no modules, no Node, only the globals given. Returns the
 * global object that the script then has.
 */
export function loadScript(path, globals) {
  const context = createContext({ ...globals })
  runInContext(readFileSync(path, 'utf8'), context, { filename: path })
  return context
}
