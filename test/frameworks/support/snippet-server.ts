import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startProcess, type GameProcess } from '../../support/start-process.js'
import { root } from '../../support/source.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** The paths of the packages by name, as for a user who has installed them. */
type Packages = Readonly<Record<string, string>>

/** Runs the code of a page with the built package, in its own process beside a sidecar. */
export async function runServer(
  sidecar: { readonly url: string },
  packages: Packages,
  files: Readonly<Record<'server.mjs', string>> & Readonly<Record<string, string>>,
  node = process.execPath,
): Promise<GameProcess> {
  const folder = await temporaryFolder('snippet')
  await mkdir(join(folder, 'node_modules'))
  for (const [name, path] of Object.entries({ 'gameserver-sidecar': root, ...packages }))
    await symlink(path, join(folder, 'node_modules', name), 'junction')
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const env = { AGONES_SDK_HTTP_PORT: new URL(sidecar.url).port }
  return startProcess({ onTestFinished }, folder, [node, 'server.mjs'], env)
}
