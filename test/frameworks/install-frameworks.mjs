/** Installs the missing packages of the folders beside this file. Run as a command, it fails if it can't install. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install-packages.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const folders = ['colyseus-0.17', 'colyseus-0.18', 'socket.io', 'agones-sdk']

export function installFrameworks() {
  for (const folder of folders) installPackages(join(here, folder), `${folder} for test/frameworks`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installFrameworks()
