using System;
using System.Linq;
using System.Reflection;
using Xunit;

namespace Pile.Tests;

/// <summary>What keeps a lease in registers.</summary>
public sealed class PileLeaseTests
{
    /// <summary>A call that is not inlined takes the address of what it is called on: the lease is then kept in memory, also where the call is never made.</summary>
    [Fact]
    public void WhatMakesTheExceptionsOfALeaseIsStatic() =>
        Assert.All(
            typeof(PileLease).GetMethods(BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
                .Where(static method => method.ReturnType.IsAssignableTo(typeof(Exception))),
            static method => Assert.True(method.IsStatic, method.Name));
}
