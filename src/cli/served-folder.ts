import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, parse, relative, sep } from 'node:path'

/** Folders of the system, with all that is in them. */
const SYSTEM_TREES = ['boot', 'dev', 'etc', 'private/etc', 'proc', 'run', 'sys', 'Windows']

/** Folders of the system in which builds have their own folders. */
const SYSTEM_FOLDERS = [
  ...['bin', 'lib', 'lib64', 'media', 'mnt', 'opt', 'sbin', 'srv', 'tmp', 'usr', 'var'],
  ...['Applications', 'Library', 'private', 'private/tmp', 'private/var', 'System', 'Volumes'],
  ...['Program Files', 'Program Files (x86)', 'ProgramData'],
]

/**
 * Says why a folder should not be served unless somebody insists: whoever reaches the gateway reads all of it. It counts
 * where a path leads. Undefined for every other folder, and where there is none.
 */
export function whyNotToServe(dir: string): string | undefined {
  const path = realPath(dir)
  const what = path === undefined ? undefined : describeFolder(path)
  if (what === undefined) return undefined
  return (
    `${dir} is ${what}, and whoever reaches the gateway could read it; ` +
    'name the folder that holds the built page, or add --yes if you mean it.'
  )
}

function describeFolder(path: string): string | undefined {
  const { root } = parse(path)
  const name = path.slice(root.length).split(sep).join('/')
  const isAny = (names: readonly string[]): boolean => names.some((one) => one.toLowerCase() === name.toLowerCase())
  if (name === '') return 'the root of the file system'
  if (isHome(path)) return 'a home directory'
  if (isAny(['home', 'Users'])) return 'the folder of all home directories'
  if (isHome(dirname(path)) && parse(path).base.startsWith('.')) return 'a hidden folder of a home directory'
  const home = ownHome()
  const fromHere = home === undefined ? '..' : relative(path, home)
  if (fromHere.split(sep)[0] !== '..' && parse(fromHere).root === '') return `the folder in which ${home} is`
  const isInSystem = SYSTEM_TREES.some(
    (tree) => isAny([tree]) || name.toLowerCase().startsWith(`${tree.toLowerCase()}/`),
  )
  return isInSystem || isAny(SYSTEM_FOLDERS) ? `the folder ${path} of the system` : undefined
}

/** Whether this is the home directory of this user, or looks like that of another. */
function isHome(path: string): boolean {
  const name = path.slice(parse(path).root.length).split(sep).join('/')
  return path === ownHome() || /^(root|(home|Users)\/[^/]+)$/i.test(name)
}

function ownHome(): string | undefined {
  try {
    return realPath(homedir())
  } catch {
    // A user without an entry in the system's list has none.
    return undefined
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
