using System;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>The server as services of an application.</summary>
public sealed class PileServerServicesTests
{
    [Fact]
    public async Task AServerWithoutACacheSaysWhatIsMissing()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.AddPileServer();
        await using WebApplication application = builder.Build();
        _ = application.MapPile();

        InvalidOperationException missing = await Assert.ThrowsAsync<InvalidOperationException>(() => application.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal("There is no cache to serve: add one with AddPileCache, beside AddPileServer.", missing.Message);
    }
}
