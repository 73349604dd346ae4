/**
 * Installs what test/hosts/runtimes/package.json lists, half a gigabyte of runtimes and engines, unless it is there.
 * As a command it fails when it can't.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install-packages.mjs'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'runtimes')

export const installRuntimes = () => installPackages(folder, 'the runtimes and engines for test/hosts')

if (process.argv[1] === fileURLToPath(import.meta.url)) installRuntimes()
