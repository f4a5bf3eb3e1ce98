using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>One server process for the tests of a class, and tables that no two of them share.</summary>
public sealed class SharedServer : IAsyncLifetime
{
    private static int _tables;

    private ServerProcess? _server;

    internal string Address => _server!.Address;

    public async ValueTask InitializeAsync() => _server = await ServerProcess.StartAsync();

    public ValueTask DisposeAsync() => _server is null ? ValueTask.CompletedTask : _server.DisposeAsync();

    /// <summary>A client; calls have a minute unless the test says otherwise.</summary>
    internal PileClient Client(Action<PileClientOptions>? configure = null)
    {
        var options = new PileClientOptions { Address = Address, Deadline = TimeSpan.FromMinutes(1) };
        configure?.Invoke(options);
        return new PileClient(options);
    }

    /// <summary>A new table.</summary>
    internal static async Task<PileClientTable> TableAsync(PileClient client, PileClientTableOptions? options = null)
    {
        string name = $"t{Interlocked.Increment(ref _tables)}";
        Assert.True(await client.CreateTableAsync(name, options));
        return client.Table(name);
    }
}
