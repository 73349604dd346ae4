// Makes a name mean now something of the site, now a link to something outside, as fast as it can.
import { cpSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync } from 'node:fs'

const [name, inside, outside] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

const isFolder = statSync(inside).isDirectory()
const [away, next] = [`${name}.away`, `${name}.next`]
if (isFolder) cpSync(inside, name, { recursive: true })
process.send('ready')

function swapFolder() {
  renameSync(name, away)
  symlinkSync(outside, name)
  unlinkSync(name)
  renameSync(away, name)
}

function swapFile() {
  for (const make of [symlinkSync, cpSync]) {
    rmSync(next, { force: true })
    make(make === cpSync ? inside : outside, next)
    renameSync(next, name)
  }
}

function swap() {
  for (let i = 0; i < 50; i += 1) (isFolder ? swapFolder : swapFile)()
  setImmediate(swap)
}
swap()
