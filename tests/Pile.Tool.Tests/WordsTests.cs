using System;
using System.Text;
using Pile.Tool.Entries;
using Pile.Tool.Running;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Bytes in words: what is written reads back.</summary>
public sealed class WordsTests
{
    [Theory]
    [InlineData("name", "name")]
    [InlineData("hex:00ff", "text:hex:00ff")]
    [InlineData("text:", "text:text:")]
    [InlineData("json:1", "text:json:1")]
    [InlineData("a\nb", "json:\"a\\nb\"")]
    [InlineData("caf\u00E9 \u4E16", "caf\u00E9 \u4E16")]
    public void TextIsWrittenSoThatItReadsBack(string text, string words)
    {
        Assert.Equal(words, Words.Of(text));
        Assert.Equal(words, Words.Of(Encoding.UTF8.GetBytes(text)));
        Assert.Equal(text, Encoding.UTF8.GetString(Words.ToBytes(words)));
    }

    [Fact]
    public void AnyBytesReadBack()
    {
        var random = new Random(1);
        for (int round = 0; round < 10_000; round++)
        {
            byte[] bytes = new byte[random.Next(1, 9)];
            random.NextBytes(bytes);
            if (round % 2 == 0)
            {
                bytes = Array.ConvertAll(bytes, static value => (byte)(value & 0x7F));
            }

            string words = Words.Of(bytes);
            Assert.True(bytes.AsSpan().SequenceEqual(Words.ToBytes(words)), words);
        }
    }

    [Theory]
    [InlineData("hex:0")]
    [InlineData("hex:zz")]
    [InlineData("json:7")]
    [InlineData("json:\"a")]
    [InlineData("json:null")]
    [InlineData("json:\"\\ud800\"")]
    [InlineData("json:\"a\\udc00b\"")]
    public void WhatIsNoneOfItsFormIsRefused(string words) => Assert.Equal(ExitCode.Usage, Assert.Throws<ToolException>(() => Words.ToBytes(words)).Code);
}
