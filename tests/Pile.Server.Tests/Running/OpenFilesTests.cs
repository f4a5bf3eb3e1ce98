using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using Pile.Server.Running;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>What connections leave of the files that the process may have open.</summary>
public sealed class OpenFilesTests
{
    [Theory]
    [InlineData(4096, 1048576L, 1, 4096)]
    [InlineData(4096, 4608L, 1, 4096)]
    [InlineData(4096, 4096L, 1, 3584)]
    [InlineData(4096, 4096L, 2, 1792)]
    [InlineData(4096, 300L, 1, 37)]
    [InlineData(3, 300L, 1, 3)]
    [InlineData(4096, 1L, 2, 1)]
    [InlineData(4096, null, 1, 4096)]
    public void ConnectionsLeaveFilesToAllElse(long connectionsMax, long? limit, int addresses, long connections) =>
        Assert.Equal(connections, OpenFiles.Connections(connectionsMax, limit, addresses));

    /// <summary>The connections of each address are counted by themselves.</summary>
    [Theory]
    [InlineData("http://127.0.0.1:7171", "", 1)]
    [InlineData("http://127.0.0.1:7171;unix:/run/pile.sock", "", 2)]
    [InlineData("http://127.0.0.1:7171;unix:/run/pile.sock", "http://127.0.0.1:7172", 3)]
    public void AllAddressesAreCounted(string addresses, string health, int count)
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?> { ["PileListen:Addresses"] = addresses, ["PileListen:HealthAddresses"] = health })
            .Build();
        Assert.Equal(count, ListenOptions.Read(configuration).Options.AddressesCount);
    }

    [Theory]
    [InlineData("Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 4096                 files     \nMax locked memory         1 2 bytes", 1024L)]
    [InlineData("Max open files            unlimited            unlimited            files     \n", null)]
    [InlineData("Max open files", null)]
    [InlineData("", null)]
    public void TheLimitIsTheSoftOne(string limits, long? limit) => Assert.Equal(limit, OpenFiles.LimitIn(limits));
}
