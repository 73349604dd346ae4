import { describe, expect, test } from 'vitest'
import { insertScript, pageType } from '../../src/local/gateway/files/html-insertion.js'
import { folderOf } from '../support/temporary-folder.js'
import { serveSite, TAG } from './static-support.js'

/** `^` stands where the script has to be. */
const pages: readonly (readonly [name: string, page: string])[] = [
  ['first in the head', '<!doctype html><html><head>^<script>game()</script></head></html>'],
  ['a head with attributes', '<html><head prefix="og: http://ogp.me/ns#" data-a=">">^<title>a</title>'],
  ['capitals', '<!DOCTYPE HTML>\n<HTML LANG="en">\n<HEAD>^\n<TITLE>a</TITLE>'],
  ['an empty head', '<html><head/>^<body>'],
  ['no head', '<!doctype html><html lang=en>^<body><p>a'],
  ['a header alone', '^<header><head>a</head></header>'],
  ['only text', '^hello <head> there'],
  ['nothing', '^'],
  ['a head in a comment', '<!-- <head> --><!doctype html><!-- <html><head> --><html><!--<head>--><head>^<title>'],
  ['comments of odd forms', '<!--><!---><!--a--!><html><head>^'],
  ['a comment that never ends', '<html>^<!-- <head><title>'],
  ['a comment and no head', '<!doctype html>^<!-- built --><title>a'],
  [
    'a doctype of old',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/x.dtd"><html><head>^',
  ],
  ['an XML declaration', '<?xml version="1.0"?><!doctype html><html><head>^<title>'],
  ['a mark of the encoding', '\ufeff<!doctype html><html><head>^<title>ü'],
  ['a mark and no head', '\ufeff^<p>ü'],
  ['a quote that never ends', '<html>^<head data-a="><title>a</title>'],
]

test.each(pages)('the script comes first in the head: %s', (_name, page) => {
  expect(insertScript(Buffer.from(page.replace('^', '')), TAG).toString()).toBe(page.replace('^', TAG))
})

describe('the encoding stays what it was', () => {
  test.each([
    ['<p>ü', 'text/html; charset=utf-8'],
    ["<head><meta charset='Windows-1252'>", 'text/html'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', 'text/html'],
    [`${' '.repeat(1024)}<meta charset="koi8-r">`, 'text/html; charset=utf-8'],
  ])('%s is %s', (page, type) => {
    expect(pageType(Buffer.from(page))).toBe(type)
  })

  test('bytes that are no UTF-8 pass as they are', async () => {
    const page = Buffer.from([0x3c, 0x70, 0x3e, 0xfc, 0x80, 0x00, 0xff])
    const { ask } = await serveSite(await folderOf({ 'index.html': page }))
    const { body, headers } = await ask('/')
    expect(body).toEqual(Buffer.concat([Buffer.from(TAG), page]))
    expect(headers['content-length']).toBe(String(body.byteLength))
  })
})
