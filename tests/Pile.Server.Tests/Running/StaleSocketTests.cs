using System;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading.Tasks;
using Microsoft.Extensions.Options;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>What stands where a Unix socket shall be.</summary>
public sealed class StaleSocketTests
{
    [Fact]
    public async Task ASecondStartIsRefusedByNameAndTheFirstServerServesOn()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string socket = Path.Combine(directory.Path, "s");
        await using TestServer first = await TestServer.StartAsync($"--listen=unix:{socket};http://127.0.0.1:0");
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => TestServer.StartAsync($"--listen=unix:{socket}"));
        Assert.Equal($"PileListen:Addresses = 'unix:{socket}': a server answers there already. Stop it, or listen elsewhere.", refused.Failures.Single());

        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(socket), TestContext.Current.CancellationToken);
        Assert.True(client.Connected);
    }

    [Fact]
    public async Task WhatAKilledServerLeftIsNotInTheWay()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string socket = Path.Combine(directory.Path, "s");
        using (var dead = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            dead.Bind(new UnixDomainSocketEndPoint(socket));
            dead.Listen();
            File.Move(socket, socket + ".kept"); // closing it would remove its file
        }

        File.Move(socket + ".kept", socket);
        await using TestServer server = await TestServer.StartAsync($"--listen=unix:{socket}");
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(socket), TestContext.Current.CancellationToken);
        Assert.True(client.Connected);
    }

    [Fact]
    public async Task ASocketWithARelativePathIsOneOfTheCurrentDirectory()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string socket = Path.Combine(directory.Path, "s");
        await using TestServer server = await TestServer.StartAsync($"--listen=unix:{Path.GetRelativePath(Environment.CurrentDirectory, socket)}");
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(socket), TestContext.Current.CancellationToken);
        Assert.True(client.Connected);
    }

    /// <summary>Sockets have no word for it, nor for a file system that is read only.</summary>
    [Fact]
    public async Task APlaceThatCanBeNoSocketsSaysWhyNot()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "notes.txt");
        await File.WriteAllTextAsync(file, "mine", TestContext.Current.CancellationToken);
        string socket = Path.Combine(file, "s");
        IOException refused = await Assert.ThrowsAsync<IOException>(() => TestServer.StartAsync($"--listen=unix:{socket}"));
        Assert.StartsWith($"It can't listen on '{socket}': Could not find a part of the path '{socket}'. Give ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AFileThatIsNoSocketIsKept()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "notes.txt");
        await File.WriteAllTextAsync(file, "mine", TestContext.Current.CancellationToken);
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => TestServer.StartAsync($"--listen=unix:{file}"));
        Assert.Contains("a file that is no socket", refused.Failures.Single(), StringComparison.Ordinal);
        Assert.Equal("mine", await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
    }
}
