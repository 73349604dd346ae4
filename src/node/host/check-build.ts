import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HostError } from './host-error.js'

/** Looks for the folder and, unless `path` names another, its page. @throws HostError NO_BUILD */
export function checkBuild(dir: string, path: string): void {
  if (!existsSync(dir)) throw new HostError('NO_BUILD', `There is no folder ${dir}.`, 'Build the game first.')
  if (!statSync(dir).isDirectory())
    throw new HostError('NO_BUILD', `${dir} is a file.`, 'Name the folder that holds it.')
  const isThere = (ending: string): boolean => existsSync(join(dir, `index.html${ending}`))
  if (!/^\/(\?|$)/.test(path) || ['', '.br', '.gz'].some(isThere)) return
  throw new HostError('NO_BUILD', `The folder ${dir} has no index.html.`, 'Name the folder that the build writes.')
}

/** Asks for the page as the browser will, which would show an error's page and never begin. @throws HostError NO_BUILD */
export async function checkPage(url: string, dir: string, path: string): Promise<void> {
  const { ok } = await fetch(url, { method: 'HEAD', headers: { accept: 'text/html' } })
  if (!ok) throw new HostError('NO_BUILD', `The folder ${dir} has no page at ${path}.`, 'Mend --path, or build it.')
}
