using System;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Calls whose time is over before anything was sent.</summary>
public sealed class LateCallTests
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AProviderThatGivesNoTokenHoldsUpNoCallBeyondItsDeadline(bool isBatching)
    {
        var never = new TaskCompletionSource<string>();
        await using var client = new PileClient(new PileClientOptions
        {
            Address = "http://127.0.0.1:1",
            Deadline = TimeSpan.FromMilliseconds(100),
            IsBatching = isBatching,
            TokenProvider = _ => new ValueTask<string>(never.Task),
        });

        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => client.Table().GetAsync("a").AsTask().WaitAsync(_longest));

        Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
    }
}
