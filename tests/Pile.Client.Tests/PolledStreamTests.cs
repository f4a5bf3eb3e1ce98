using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>A connection that needs no thread of the pool.</summary>
public sealed class PolledStreamTests : IDisposable
{
    // More than the buffers of both sides hold.
    private const int Bytes = 16 << 20;

    private readonly Socket _there;
    private readonly PolledStream _stream;

    public PolledStreamTests()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var here = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        here.Connect(listener.LocalEndPoint!);
        _there = listener.Accept();
        _stream = new PolledStream(here);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _stream.Dispose();
        _there.Dispose();
    }

    [Fact]
    public async Task WhoWritesToAFullSocketReadsOnAndAllIsSentInItsOrder()
    {
        byte[] sent = new byte[Bytes + 9];
        new Random(81).NextBytes(sent);
        await WrittenAsync(sent.AsMemory(0, Bytes));
        Task flush = _stream.FlushAsync(Cancel);
        Assert.False(flush.IsCompleted);
        _ = _there.Send(new byte[] { 7 });
        Assert.Equal(7, _stream.ReadByte());
        await WrittenAsync(sent.AsMemory(Bytes));
        byte[] got = new byte[sent.Length];
        for (int at = 0; at < got.Length;)
        {
            at += await _there.ReceiveAsync(got.AsMemory(at), Cancel);
        }

        Assert.Equal(sent, got);
        await Within.AMinuteAsync(flush, "the flush");
        _stream.Write([8]);
        Assert.True(_stream.FlushAsync(Cancel).IsCompletedSuccessfully);
        Assert.Equal(1, await _there.ReceiveAsync(got, Cancel));
        Assert.Equal(8, got[0]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AnEndOfEitherSideFailsWhatIsNotSentAndAllThatFollows(bool isThere)
    {
        await WrittenAsync(new byte[Bytes]);
        Task flush = _stream.FlushAsync(Cancel);
        Assert.False(flush.IsCompleted);
        ((IDisposable)(isThere ? _there : _stream)).Dispose();
        Assert.True(await Record.ExceptionAsync(() => Within.AMinuteAsync(flush, "the flush")) is IOException or ObjectDisposedException);
        Assert.True(Record.Exception(() => _stream.Write([1])) is IOException or ObjectDisposedException);
        Assert.True(await Record.ExceptionAsync(() => _stream.FlushAsync(Cancel)) is IOException or ObjectDisposedException);
    }

    private Task WrittenAsync(ReadOnlyMemory<byte> bytes) => Within.AMinuteAsync(
        Task.Factory.StartNew(() => _stream.Write(bytes.Span), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default), "the write to the full socket");
}
