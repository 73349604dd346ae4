#!/usr/bin/env node
// Not built, so that npm can link the command in a fresh clone, and any Node can read it.
import { existsSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
const isOld = major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
if (isOld && !process.versions.bun) {
  console.error(`gameserver-sidecar needs Node 20.19, 22.12 or later; this is Node ${process.versions.node}`)
  process.exit(69)
}
const builder = new URL('../build/build-if-stale.mjs', import.meta.url)
if (existsSync(builder)) await (await import(builder.href)).buildForCommand()
await import('../dist/cli.js')
